/// Encodings of A64 from the Arm Architecture Reference Manual (DDI 0487), chapter C4; the first row that matches
/// counts.
///
/// `EncodingRow` explains the notation. Loads and stores of one register follow a scheme: see `transferRows`.
let arm64Encodings = """
    0000000000000000iiiiiiiiiiiiiiii T udf %#i

    0ll10000iiiiiiiiiiiiiiiiiiiddddd d# adr %xd, %Ai
    1ll10000iiiiiiiiiiiiiiiiiiiddddd d# adrp %xd, %Pi
    1001000100000000000000nnnnnddddd?d=$ d=n mov %Xd, %Xn
    1001000100000000000000nnnnnddddd?n=$ d=n mov %Xd, %Xn
    0001000100000000000000nnnnnddddd?d=$ d= mov %Wd, %Wn
    0001000100000000000000nnnnnddddd?n=$ d= mov %Wd, %Wn
    W00100010hiiiiiiiiiiiinnnnnddddd d+n add %Rd, %Rn, %Ii
    W01100010hiiiiiiiiiiiinnnnn11111 c cmn %Rn, %Ii
    W01100010hiiiiiiiiiiiinnnnnddddd da adds %rd, %Rn, %Ii
    W10100010hiiiiiiiiiiiinnnnnddddd d-n sub %Rd, %Rn, %Ii
    W11100010hiiiiiiiiiiiinnnnn11111 c cmp %Rn, %Ii
    W11100010hiiiiiiiiiiiinnnnnddddd da subs %rd, %Rn, %Ii
    1001000110iiiiiixxjjjjnnnnnddddd d= addg %Xd, %Xn, %#i*16, %#j
    1101000110iiiiiixxjjjjnnnnnddddd d= subg %Xd, %Xn, %#i*16, %#j
    W00100011100ooiiiiiiiinnnnnddddd?o=0 d= smax %rd, %rn, %+i
    W00100011100ooiiiiiiiinnnnnddddd?o=1 d= umax %rd, %rn, %#i
    W00100011100ooiiiiiiiinnnnnddddd?o=2 d= smin %rd, %rn, %+i
    W00100011100ooiiiiiiiinnnnnddddd?o=3 d= umin %rd, %rn, %#i
    W00100100Nrrrrrrssssssnnnnnddddd d= and %Rd, %rn, %Ms
    W01100100Nrrrrrrssssss11111ddddd d# mov %Rd, %Os
    W01100100Nrrrrrrssssssnnnnnddddd d= orr %Rd, %rn, %Ms
    W10100100Nrrrrrrssssssnnnnnddddd d= eor %Rd, %rn, %Ms
    W11100100Nrrrrrrssssssnnnnn11111 c tst %rn, %Ms
    W11100100Nrrrrrrssssssnnnnnddddd d= ands %rd, %rn, %Ms
    W00100101hhiiiiiiiiiiiiiiiiddddd d# mov %rd, %ni
    W00100101hhiiiiiiiiiiiiiiiiddddd d= movn %rd, %ki
    W10100101hhiiiiiiiiiiiiiiiiddddd d# mov %rd, %mi
    W10100101hhiiiiiiiiiiiiiiiiddddd d# movz %rd, %ki
    W11100101hhiiiiiiiiiiiiiiiiddddd d= movk %rd, %ki
    1001001101rrrrrrssssssnnnnnddddd d= %Zs
    0001001100rrrrrrssssssnnnnnddddd d= %Zs
    1011001101rrrrrrssssssnnnnnddddd d= %Zb
    0011001100rrrrrrssssssnnnnnddddd d= %Zb
    1101001101rrrrrrssssssnnnnnddddd d= %Zu
    0101001100rrrrrrssssssnnnnnddddd d= %Zu
    10010011110mmmmmiiiiiinnnnnddddd?n=m d= ror %xd, %xn, %#i
    10010011110mmmmmiiiiiinnnnnddddd d= extr %xd, %xn, %xm, %#i
    00010011100mmmmm0iiiiinnnnnddddd?n=m d= ror %wd, %wn, %#i
    00010011100mmmmm0iiiiinnnnnddddd d= extr %wd, %wn, %wm, %#i

    01010100iiiiiiiiiiiiiiiiiii0cccc B b.%cc %@i
    01010100iiiiiiiiiiiiiiiiiii1cccc B bc.%cc %@i
    11010100000iiiiiiiiiiiiiiii00001 $ svc %#i
    11010100000iiiiiiiiiiiiiiii00010 $ hvc %#i
    11010100000iiiiiiiiiiiiiiii00011 $ smc %#i
    11010100001iiiiiiiiiiiiiiii00000 T brk %#i
    11010100010iiiiiiiiiiiiiiii00000 T hlt %#i
    11010100101000000000000000000001 T dcps1
    11010101000000110001000000000000 . wfet
    110101010000001100010000000ttttt . wfet %xt
    110101010000001100010000001ttttt . wfit %xt
    11010101000000110010000000011111 . nop
    11010101000000110010000000111111 . yield
    11010101000000110010000001011111 . wfe
    11010101000000110010000001111111 . wfi
    11010101000000110010000010011111 . sev
    11010101000000110010000010111111 . sevl
    11010101000000110010000011011111 . dgh
    11010101000000110010000011111111 ^! xpaclri
    11010101000000110010000100011111 ~! pacia1716
    11010101000000110010000101011111 ~! pacib1716
    11010101000000110010000110011111 ~! autia1716
    11010101000000110010000111011111 ~! autib1716
    11010101000000110010001000011111 . esb
    11010101000000110010001000111111 . psb csync
    11010101000000110010001001011111 . tsb csync
    11010101000000110010001010011111 . csdb
    11010101000000110010001011011111 . clrbhb
    11010101000000110010001100011111 ^! paciaz
    11010101000000110010001100111111 ^! paciasp
    11010101000000110010001101011111 ^! pacibz
    11010101000000110010001101111111 ^! pacibsp
    11010101000000110010001110011111 ^! autiaz
    11010101000000110010001110111111 ^! autiasp
    11010101000000110010001111011111 ^! autibz
    11010101000000110010001111111111 ^! autibsp
    11010101000000110010010000011111 . bti
    11010101000000110010010001011111 . bti c
    11010101000000110010010010011111 . bti j
    11010101000000110010010011011111 . bti jc
    11010101000000110010010100011111 `= chkfeat x16
    11010101000000110010iiiiiii11111 . hint %#i
    11010101000000110011111101011111 . clrex
    11010101000000110011iiii01011111 . clrex %#i
    11010101000000110011000010011111 . ssbb
    11010101000000110011010010011111 . pssbb
    11010101000000110011iiii10011111 . dsb %Di
    11010101000000110011iiii10111111 . dmb %Di
    11010101000000110011111111011111 . isb
    11010101000000110011iiii11011111 . isb %#i
    11010101000000110011000011111111 . sb
    11010101000000000100000000011111 . cfinv
    11010101000000000100000000111111 . xaflag
    11010101000000000100000001011111 . axflag
    1101010100000aaa0100iiiibbb11111 . msr %pa, %#i
    110101010000101101110100001ttttt >64 dc zva, %xt
    110101010000101101110100011ttttt . dc gva, %xt
    110101010000101101110100100ttttt >64 dc gzva, %xt
    1101010100001aaabbbbccccdddttttt . %ya
    1101010100101aaabbbbccccdddttttt t= sysl %xt, %oa
    110101010001aaaabbbbccccdddttttt . msr %Ya, %xt
    110101010011aaaabbbbccccdddttttt t= mrs %xt, %Ya
    1101011000011111000000nnnnn00000 j br %xn
    1101011000111111000000nnnnn00000 k blr %xn
    11010110010111110000001111000000 R ret
    1101011001011111000000nnnnn00000 R ret %xn
    11010110100111110000001111100000 R eret
    11010110110111110000001111100000 R drps
    1101011000011111000010nnnnn11111 j braaz %xn
    1101011000011111000011nnnnn11111 j brabz %xn
    1101011000111111000010nnnnn11111 k blraaz %xn
    1101011000111111000011nnnnn11111 k blrabz %xn
    11010110010111110000101111111111 R retaa
    11010110010111110000111111111111 R retab
    11010110100111110000101111111111 R eretaa
    11010110100111110000111111111111 R eretab
    1101011100011111000010nnnnnmmmmm j braa %xn, %Xm
    1101011100011111000011nnnnnmmmmm j brab %xn, %Xm
    1101011100111111000010nnnnnmmmmm k blraa %xn, %Xm
    1101011100111111000011nnnnnmmmmm k blrab %xn, %Xm
    000101iiiiiiiiiiiiiiiiiiiiiiiiii J b %@i
    100101iiiiiiiiiiiiiiiiiiiiiiiiii C bl %@i
    W0110100iiiiiiiiiiiiiiiiiiittttt B cbz %rt, %@i
    W0110101iiiiiiiiiiiiiiiiiiittttt B cbnz %rt, %@i
    00110110bbbbbiiiiiiiiiiiiiittttt B tbz %wt, %#b, %@i
    00110111bbbbbiiiiiiiiiiiiiittttt B tbnz %wt, %#b, %@i
    b0110110bbbbbiiiiiiiiiiiiiittttt B tbz %xt, %#b, %@i
    b0110111bbbbbiiiiiiiiiiiiiittttt B tbnz %xt, %#b, %@i

    00001000000sssss0xxxxxnnnnnttttt s>1 stxrb %ws, %wt, [%Xn]
    00001000000sssss1xxxxxnnnnnttttt s>1 stlxrb %ws, %wt, [%Xn]
    01001000000sssss0xxxxxnnnnnttttt s>2 stxrh %ws, %wt, [%Xn]
    01001000000sssss1xxxxxnnnnnttttt s>2 stlxrh %ws, %wt, [%Xn]
    10001000000sssss0xxxxxnnnnnttttt s>4 stxr %ws, %wt, [%Xn]
    10001000000sssss1xxxxxnnnnnttttt s>4 stlxr %ws, %wt, [%Xn]
    11001000000sssss0xxxxxnnnnnttttt s>8 stxr %ws, %xt, [%Xn]
    11001000000sssss1xxxxxnnnnnttttt s>8 stlxr %ws, %xt, [%Xn]
    00001000010xxxxx0xxxxxnnnnnttttt t<1 ldxrb %wt, [%Xn]
    00001000010xxxxx1xxxxxnnnnnttttt t<1 ldaxrb %wt, [%Xn]
    01001000010xxxxx0xxxxxnnnnnttttt t<2 ldxrh %wt, [%Xn]
    01001000010xxxxx1xxxxxnnnnnttttt t<2 ldaxrh %wt, [%Xn]
    10001000010xxxxx0xxxxxnnnnnttttt t<4 ldxr %wt, [%Xn]
    10001000010xxxxx1xxxxxnnnnnttttt t<4 ldaxr %wt, [%Xn]
    11001000010xxxxx0xxxxxnnnnnttttt t<8 ldxr %xt, [%Xn]
    11001000010xxxxx1xxxxxnnnnnttttt t<8 ldaxr %xt, [%Xn]
    10001000001sssss0uuuuunnnnnttttt s>8 stxp %ws, %wt, %wu, [%Xn]
    10001000001sssss1uuuuunnnnnttttt s>8 stlxp %ws, %wt, %wu, [%Xn]
    11001000001sssss0uuuuunnnnnttttt s>16 stxp %ws, %xt, %xu, [%Xn]
    11001000001sssss1uuuuunnnnnttttt s>16 stlxp %ws, %xt, %xu, [%Xn]
    10001000011xxxxx0uuuuunnnnnttttt tu<8 ldxp %wt, %wu, [%Xn]
    10001000011xxxxx1uuuuunnnnnttttt tu<8 ldaxp %wt, %wu, [%Xn]
    11001000011xxxxx0uuuuunnnnnttttt tu<16 ldxp %xt, %xu, [%Xn]
    11001000011xxxxx1uuuuunnnnnttttt tu<16 ldaxp %xt, %xu, [%Xn]
    00001000100xxxxx0xxxxxnnnnnttttt >1 stllrb %wt, [%Xn]
    00001000100xxxxx1xxxxxnnnnnttttt >1 stlrb %wt, [%Xn]
    01001000100xxxxx0xxxxxnnnnnttttt >2 stllrh %wt, [%Xn]
    01001000100xxxxx1xxxxxnnnnnttttt >2 stlrh %wt, [%Xn]
    10001000100xxxxx0xxxxxnnnnnttttt >4 stllr %wt, [%Xn]
    10001000100xxxxx1xxxxxnnnnnttttt >4 stlr %wt, [%Xn]
    11001000100xxxxx0xxxxxnnnnnttttt >8 stllr %xt, [%Xn]
    11001000100xxxxx1xxxxxnnnnnttttt >8 stlr %xt, [%Xn]
    00001000110xxxxx0xxxxxnnnnnttttt t<1 ldlarb %wt, [%Xn]
    00001000110xxxxx1xxxxxnnnnnttttt t<1 ldarb %wt, [%Xn]
    01001000110xxxxx0xxxxxnnnnnttttt t<2 ldlarh %wt, [%Xn]
    01001000110xxxxx1xxxxxnnnnnttttt t<2 ldarh %wt, [%Xn]
    10001000110xxxxx0xxxxxnnnnnttttt t<4 ldlar %wt, [%Xn]
    10001000110xxxxx1xxxxxnnnnnttttt t<4 ldar %wt, [%Xn]
    11001000110xxxxx0xxxxxnnnnnttttt t<8 ldlar %xt, [%Xn]
    11001000110xxxxx1xxxxxnnnnnttttt t<8 ldar %xt, [%Xn]
    000010001a1sssssl11111nnnnnttttt s%1 cas%alb %ws, %wt, [%Xn]
    010010001a1sssssl11111nnnnnttttt s%2 cas%alh %ws, %wt, [%Xn]
    100010001a1sssssl11111nnnnnttttt s%4 cas%al %ws, %wt, [%Xn]
    110010001a1sssssl11111nnnnnttttt s%8 cas%al %xs, %xt, [%Xn]
    000010000a1ssss0l11111nnnnntttt0 sS%8 casp%al %ws, %wS, %wt, %wT, [%Xn]
    010010000a1ssss0l11111nnnnntttt0 sS%16 casp%al %xs, %xS, %xt, %xT, [%Xn]

    00011001000iiiiiiiii00nnnnnttttt >1 stlurb %wt, [%Xn%;i]
    00011001010iiiiiiiii00nnnnnttttt t<1 ldapurb %wt, [%Xn%;i]
    00011001100iiiiiiiii00nnnnnttttt t<1 ldapursb %xt, [%Xn%;i]
    00011001110iiiiiiiii00nnnnnttttt t<1 ldapursb %wt, [%Xn%;i]
    01011001000iiiiiiiii00nnnnnttttt >2 stlurh %wt, [%Xn%;i]
    01011001010iiiiiiiii00nnnnnttttt t<2 ldapurh %wt, [%Xn%;i]
    01011001100iiiiiiiii00nnnnnttttt t<2 ldapursh %xt, [%Xn%;i]
    01011001110iiiiiiiii00nnnnnttttt t<2 ldapursh %wt, [%Xn%;i]
    10011001000iiiiiiiii00nnnnnttttt >4 stlur %wt, [%Xn%;i]
    10011001010iiiiiiiii00nnnnnttttt t<4 ldapur %wt, [%Xn%;i]
    10011001100iiiiiiiii00nnnnnttttt t<4 ldapursw %xt, [%Xn%;i]
    11011001000iiiiiiiii00nnnnnttttt >8 stlur %xt, [%Xn%;i]
    11011001010iiiiiiiii00nnnnnttttt t<8 ldapur %xt, [%Xn%;i]
    00011101000iiiiiiiii10nnnnnttttt >1 stlur %bt, [%Xn%;i]
    00011101010iiiiiiiii10nnnnnttttt <1 ldapur %bt, [%Xn%;i]
    00011101100iiiiiiiii10nnnnnttttt >16 stlur %qt, [%Xn%;i]
    00011101110iiiiiiiii10nnnnnttttt <16 ldapur %qt, [%Xn%;i]
    01011101000iiiiiiiii10nnnnnttttt >2 stlur %ht, [%Xn%;i]
    01011101010iiiiiiiii10nnnnnttttt <2 ldapur %ht, [%Xn%;i]
    10011101000iiiiiiiii10nnnnnttttt >4 stlur %st, [%Xn%;i]
    10011101010iiiiiiiii10nnnnnttttt <4 ldapur %st, [%Xn%;i]
    11011101000iiiiiiiii10nnnnnttttt >8 stlur %dt, [%Xn%;i]
    11011101010iiiiiiiii10nnnnnttttt <8 ldapur %dt, [%Xn%;i]
    1101100100100000000000nnnnnttttt >16 stzgm %xt, [%Xn]
    11011001001iiiiiiiii01nnnnnttttt >16 stg %Xt, [%Xn], %+i*16
    11011001001iiiiiiiii10nnnnnttttt >16 stg %Xt, [%Xn%;i*16]
    11011001001iiiiiiiii11nnnnnttttt >16 stg %Xt, [%Xn, %+i*16]!
    11011001011iiiiiiiii00nnnnnttttt t<16 ldg %xt, [%Xn%;i*16]
    11011001011iiiiiiiii01nnnnnttttt >16 stzg %Xt, [%Xn], %+i*16
    11011001011iiiiiiiii10nnnnnttttt >16 stzg %Xt, [%Xn%;i*16]
    11011001011iiiiiiiii11nnnnnttttt >16 stzg %Xt, [%Xn, %+i*16]!
    1101100110100000000000nnnnnttttt >16 stgm %xt, [%Xn]
    11011001101iiiiiiiii01nnnnnttttt >32 st2g %Xt, [%Xn], %+i*16
    11011001101iiiiiiiii10nnnnnttttt >32 st2g %Xt, [%Xn%;i*16]
    11011001101iiiiiiiii11nnnnnttttt >32 st2g %Xt, [%Xn, %+i*16]!
    1101100111100000000000nnnnnttttt t<16 ldgm %xt, [%Xn]
    11011001111iiiiiiiii01nnnnnttttt >32 stz2g %Xt, [%Xn], %+i*16
    11011001111iiiiiiiii10nnnnnttttt >32 stz2g %Xt, [%Xn%;i*16]
    11011001111iiiiiiiii11nnnnnttttt >32 stz2g %Xt, [%Xn, %+i*16]!

    00011000iiiiiiiiiiiiiiiiiiittttt t<4 ldr %wt, %@i
    01011000iiiiiiiiiiiiiiiiiiittttt t<8 ldr %xt, %@i
    10011000iiiiiiiiiiiiiiiiiiittttt t<4 ldrsw %xt, %@i
    11011000iiiiiiiiiiiiiiiiiiittttt . prfm %Ut, %@i
    00011100iiiiiiiiiiiiiiiiiiittttt <4 ldr %st, %@i
    01011100iiiiiiiiiiiiiiiiiiittttt <8 ldr %dt, %@i
    10011100iiiiiiiiiiiiiiiiiiittttt <16 ldr %qt, %@i

    0110100010iiiiiiiuuuuunnnnnttttt >16 stgp %xt, %xu, [%Xn], %+i*16
    0110100100iiiiiiiuuuuunnnnnttttt >16 stgp %xt, %xu, [%Xn%;i*16]
    0110100110iiiiiiiuuuuunnnnnttttt >16 stgp %xt, %xu, [%Xn, %+i*16]!
    0110100011iiiiiiiuuuuunnnnnttttt tu<8 ldpsw %xt, %xu, [%Xn], %+i*4
    0110100101iiiiiiiuuuuunnnnnttttt tu<8 ldpsw %xt, %xu, [%Xn%;i*4]
    0110100111iiiiiiiuuuuunnnnnttttt tu<8 ldpsw %xt, %xu, [%Xn, %+i*4]!

    111110000i1iiiiiiiii01nnnnnttttt t<8 ldraa %xt, [%Xn%;i*8]
    111110001i1iiiiiiiii01nnnnnttttt t<8 ldrab %xt, [%Xn%;i*8]
    111110000i1iiiiiiiii11nnnnnttttt t<8 ldraa %xt, [%Xn, %+i*8]!
    111110001i1iiiiiiiii11nnnnnttttt t<8 ldrab %xt, [%Xn, %+i*8]!
    0011100010111111110000nnnnnttttt t<1 ldaprb %wt, [%Xn]
    0111100010111111110000nnnnnttttt t<2 ldaprh %wt, [%Xn]
    1011100010111111110000nnnnnttttt t<4 ldapr %wt, [%Xn]
    1111100010111111110000nnnnnttttt t<8 ldapr %xt, [%Xn]
    1111100000111111110100nnnnnttttt <64 ld64b %xt, [%Xn]
    1111100000111111100100nnnnnttttt >64 st64b %xt, [%Xn]
    11111000001sssss101100nnnnnttttt s>64 st64bv %xs, %xt, [%Xn]
    11111000001sssss101000nnnnnttttt s>64 st64bv0 %xs, %xt, [%Xn]

    W0011010110mmmmm000010nnnnnddddd d= udiv %rd, %rn, %rm
    W0011010110mmmmm000011nnnnnddddd d= sdiv %rd, %rn, %rm
    W0011010110mmmmm001000nnnnnddddd d= lsl %rd, %rn, %rm
    W0011010110mmmmm001001nnnnnddddd d= lsr %rd, %rn, %rm
    W0011010110mmmmm001010nnnnnddddd d= asr %rd, %rn, %rm
    W0011010110mmmmm001011nnnnnddddd d= ror %rd, %rn, %rm
    W0011010110mmmmm011000nnnnnddddd d= smax %rd, %rn, %rm
    W0011010110mmmmm011001nnnnnddddd d= umax %rd, %rn, %rm
    W0011010110mmmmm011010nnnnnddddd d= smin %rd, %rn, %rm
    W0011010110mmmmm011011nnnnnddddd d= umin %rd, %rn, %rm
    00011010110mmmmm010000nnnnnddddd d= crc32b %wd, %wn, %wm
    00011010110mmmmm010001nnnnnddddd d= crc32h %wd, %wn, %wm
    00011010110mmmmm010010nnnnnddddd d= crc32w %wd, %wn, %wm
    10011010110mmmmm010011nnnnnddddd d= crc32x %wd, %wn, %xm
    00011010110mmmmm010100nnnnnddddd d= crc32cb %wd, %wn, %wm
    00011010110mmmmm010101nnnnnddddd d= crc32ch %wd, %wn, %wm
    00011010110mmmmm010110nnnnnddddd d= crc32cw %wd, %wn, %wm
    10011010110mmmmm010111nnnnnddddd d= crc32cx %wd, %wn, %xm
    10011010110mmmmm000000nnnnnddddd d= subp %xd, %Xn, %Xm
    10111010110mmmmm000000nnnnn11111 c cmpp %Xn, %Xm
    10111010110mmmmm000000nnnnnddddd da subps %xd, %Xn, %Xm
    1001101011011111000100nnnnnddddd d= irg %Xd, %Xn
    10011010110mmmmm000100nnnnnddddd d= irg %Xd, %Xn, %xm
    10011010110mmmmm000101nnnnnddddd d= gmi %xd, %Xn, %xm
    10011010110mmmmm001100nnnnnddddd d= pacga %xd, %xn, %Xm
    W101101011000000000000nnnnnddddd d= rbit %rd, %rn
    W101101011000000000001nnnnnddddd d= rev16 %rd, %rn
    0101101011000000000010nnnnnddddd d= rev %wd, %wn
    1101101011000000000010nnnnnddddd d= rev32 %xd, %xn
    1101101011000000000011nnnnnddddd d= rev %xd, %xn
    W101101011000000000100nnnnnddddd d= clz %rd, %rn
    W101101011000000000101nnnnnddddd d= cls %rd, %rn
    W101101011000000000110nnnnnddddd d= ctz %rd, %rn
    W101101011000000000111nnnnnddddd d= cnt %rd, %rn
    W101101011000000001000nnnnnddddd d= abs %rd, %rn
    1101101011000001000000nnnnnddddd d! pacia %xd, %Xn
    1101101011000001000001nnnnnddddd d! pacib %xd, %Xn
    1101101011000001000010nnnnnddddd d! pacda %xd, %Xn
    1101101011000001000011nnnnnddddd d! pacdb %xd, %Xn
    1101101011000001000100nnnnnddddd d! autia %xd, %Xn
    1101101011000001000101nnnnnddddd d! autib %xd, %Xn
    1101101011000001000110nnnnnddddd d! autda %xd, %Xn
    1101101011000001000111nnnnnddddd d! autdb %xd, %Xn
    110110101100000100100011111ddddd d! paciza %xd
    110110101100000100100111111ddddd d! pacizb %xd
    110110101100000100101011111ddddd d! pacdza %xd
    110110101100000100101111111ddddd d! pacdzb %xd
    110110101100000100110011111ddddd d! autiza %xd
    110110101100000100110111111ddddd d! autizb %xd
    110110101100000100111011111ddddd d! autdza %xd
    110110101100000100111111111ddddd d! autdzb %xd
    110110101100000101000011111ddddd d! xpaci %xd
    110110101100000101000111111ddddd d! xpacd %xd
    W0001010hh0mmmmmiiiiiinnnnnddddd d= and %rd, %rn, %rm%Ti
    W0001010hh1mmmmmiiiiiinnnnnddddd d= bic %rd, %rn, %rm%Ti
    10101010000mmmmm00000011111ddddd d=m mov %xd, %xm
    00101010000mmmmm00000011111ddddd d= mov %wd, %wm
    W0101010hh0mmmmmiiiiiinnnnnddddd d= orr %rd, %rn, %rm%Ti
    W0101010hh1mmmmmiiiiii11111ddddd d= mvn %rd, %rm%Ti
    W0101010hh1mmmmmiiiiiinnnnnddddd d= orn %rd, %rn, %rm%Ti
    W1001010hh0mmmmmiiiiiinnnnnddddd d= eor %rd, %rn, %rm%Ti
    W1001010hh1mmmmmiiiiiinnnnnddddd d= eon %rd, %rn, %rm%Ti
    W1101010hh0mmmmmiiiiiinnnnn11111 c tst %rn, %rm%Ti
    W1101010hh0mmmmmiiiiiinnnnnddddd d= ands %rd, %rn, %rm%Ti
    W1101010hh1mmmmmiiiiiinnnnnddddd d= bics %rd, %rn, %rm%Ti
    W0001011hh0mmmmmiiiiiinnnnnddddd d+n add %rd, %rn, %rm%Si
    W0101011hh0mmmmmiiiiiinnnnn11111 c cmn %rn, %rm%Si
    W0101011hh0mmmmmiiiiiinnnnnddddd da adds %rd, %rn, %rm%Si
    W1001011hh0mmmmmiiiiii11111ddddd d= neg %rd, %rm%Si
    W1001011hh0mmmmmiiiiiinnnnnddddd d= sub %rd, %rn, %rm%Si
    W1101011hh0mmmmmiiiiiinnnnn11111 c cmp %rn, %rm%Si
    W1101011hh0mmmmmiiiiii11111ddddd da negs %rd, %rm%Si
    W1101011hh0mmmmmiiiiiinnnnnddddd da subs %rd, %rn, %rm%Si
    W0001011001mmmmmoooiiinnnnnddddd d+n add %Rd, %Rn, %em%Ei
    W0101011001mmmmmoooiiinnnnn11111 c cmn %Rn, %em%Ei
    W0101011001mmmmmoooiiinnnnnddddd da adds %rd, %Rn, %em%Ei
    W1001011001mmmmmoooiiinnnnnddddd d= sub %Rd, %Rn, %em%Ei
    W1101011001mmmmmoooiiinnnnn11111 c cmp %Rn, %em%Ei
    W1101011001mmmmmoooiiinnnnnddddd da subs %rd, %Rn, %em%Ei
    W0011010000mmmmm000000nnnnnddddd d= adc %rd, %rn, %rm
    W0111010000mmmmm000000nnnnnddddd da adcs %rd, %rn, %rm
    W1011010000mmmmm00000011111ddddd d= ngc %rd, %rm
    W1011010000mmmmm000000nnnnnddddd d= sbc %rd, %rn, %rm
    W1111010000mmmmm00000011111ddddd da ngcs %rd, %rm
    W1111010000mmmmm000000nnnnnddddd da sbcs %rd, %rn, %rm
    10111010000iiiiii00001nnnnn0ffff c rmif %xn, %#i, %#f
    0011101000000000000010nnnnn01101 c setf8 %wn
    0011101000000000010010nnnnn01101 c setf16 %wn
    W0111010010mmmmmcccc00nnnnn0ffff c ccmn %rn, %rm, %#f, %cc
    W0111010010iiiiicccc10nnnnn0ffff c ccmn %rn, %#i, %#f, %cc
    W1111010010mmmmmcccc00nnnnn0ffff c ccmp %rn, %rm, %#f, %cc
    W1111010010iiiiicccc10nnnnn0ffff c ccmp %rn, %#i, %#f, %cc
    W0011010100mmmmmcccc00nnnnnddddd d= csel %rd, %rn, %rm, %cc
    W001101010011111cccc0111111ddddd d= cset %rd, %Cc
    W0011010100mmmmmcccc01nnnnnddddd?n=m d= cinc %rd, %rn, %Cc
    W0011010100mmmmmcccc01nnnnnddddd d= csinc %rd, %rn, %rm, %cc
    W101101010011111cccc0011111ddddd d= csetm %rd, %Cc
    W1011010100mmmmmcccc00nnnnnddddd?n=m d= cinv %rd, %rn, %Cc
    W1011010100mmmmmcccc00nnnnnddddd d= csinv %rd, %rn, %rm, %cc
    W1011010100mmmmmcccc01nnnnnddddd?n=m d= cneg %rd, %rn, %Cc
    W1011010100mmmmmcccc01nnnnnddddd d= csneg %rd, %rn, %rm, %cc
    W0011011000mmmmm011111nnnnnddddd d= mul %rd, %rn, %rm
    W0011011000mmmmm0aaaaannnnnddddd d= madd %rd, %rn, %rm, %ra
    W0011011000mmmmm111111nnnnnddddd d= mneg %rd, %rn, %rm
    W0011011000mmmmm1aaaaannnnnddddd d= msub %rd, %rn, %rm, %ra
    10011011001mmmmm011111nnnnnddddd d= smull %xd, %wn, %wm
    10011011001mmmmm0aaaaannnnnddddd d= smaddl %xd, %wn, %wm, %xa
    10011011001mmmmm111111nnnnnddddd d= smnegl %xd, %wn, %wm
    10011011001mmmmm1aaaaannnnnddddd d= smsubl %xd, %wn, %wm, %xa
    10011011010mmmmm0xxxxxnnnnnddddd d= smulh %xd, %xn, %xm
    10011011101mmmmm011111nnnnnddddd d= umull %xd, %wn, %wm
    10011011101mmmmm0aaaaannnnnddddd d= umaddl %xd, %wn, %wm, %xa
    10011011101mmmmm111111nnnnnddddd d= umnegl %xd, %wn, %wm
    10011011101mmmmm1aaaaannnnnddddd d= umsubl %xd, %wn, %wm, %xa
    10011011110mmmmm0xxxxxnnnnnddddd d= umulh %xd, %xn, %xm

    W0011110FF100000000000nnnnnddddd d= fcvtns %rd, %fn
    W0011110FF100001000000nnnnnddddd d= fcvtnu %rd, %fn
    W0011110FF100010000000nnnnnddddd . scvtf %fd, %rn
    W0011110FF100011000000nnnnnddddd . ucvtf %fd, %rn
    W0011110FF100100000000nnnnnddddd d= fcvtas %rd, %fn
    W0011110FF100101000000nnnnnddddd d= fcvtau %rd, %fn
    W001111011100110000000nnnnnddddd d= fmov %rd, %hn
    0001111000100110000000nnnnnddddd d= fmov %wd, %sn
    1001111001100110000000nnnnnddddd d= fmov %xd, %dn
    W001111011100111000000nnnnnddddd . fmov %hd, %rn
    0001111000100111000000nnnnnddddd . fmov %sd, %wn
    1001111001100111000000nnnnnddddd . fmov %dd, %xn
    1001111010101110000000nnnnnddddd d= fmov %xd, v%un.d[1]
    1001111010101111000000nnnnnddddd . fmov v%ud.d[1], %xn
    W0011110FF101000000000nnnnnddddd d= fcvtps %rd, %fn
    W0011110FF101001000000nnnnnddddd d= fcvtpu %rd, %fn
    W0011110FF110000000000nnnnnddddd d= fcvtms %rd, %fn
    W0011110FF110001000000nnnnnddddd d= fcvtmu %rd, %fn
    W0011110FF111000000000nnnnnddddd d= fcvtzs %rd, %fn
    W0011110FF111001000000nnnnnddddd d= fcvtzu %rd, %fn
    0Q001110000iiiii001111nnnnnddddd d= umov %Qd, %Jn
    0Q001110000iiiii001011nnnnnddddd d= smov %Qd, %jn
    0Q001110000iiiii000011nnnnnddddd . dup %Hd, %Qn
    01001110000iiiii000111nnnnnddddd . mov %Jd, %Qn
    0001111001111110000000nnnnnddddd d= fjcvtzs %wd, %dn
    W0011110FF000010iiiiiinnnnnddddd . scvtf %fd, %rn, %zi
    W0011110FF000011iiiiiinnnnnddddd . ucvtf %fd, %rn, %zi
    W0011110FF011000iiiiiinnnnnddddd d= fcvtzs %rd, %fn, %zi
    W0011110FF011001iiiiiinnnnnddddd d= fcvtzu %rd, %fn, %zi
    00011110FF100000010000nnnnnddddd . fmov %fd, %fn
    00011110FF100000110000nnnnnddddd . fabs %fd, %fn
    00011110FF100001010000nnnnnddddd . fneg %fd, %fn
    00011110FF100001110000nnnnnddddd . fsqrt %fd, %fn
    0001111000100010110000nnnnnddddd . fcvt %dd, %sn
    0001111000100011110000nnnnnddddd . fcvt %hd, %sn
    0001111001100010010000nnnnnddddd . fcvt %sd, %dn
    0001111001100011110000nnnnnddddd . fcvt %hd, %dn
    0001111001100011010000nnnnnddddd . bfcvt %hd, %sn
    0001111011100010010000nnnnnddddd . fcvt %sd, %hn
    0001111011100010110000nnnnnddddd . fcvt %dd, %hn
    00011110FF100100010000nnnnnddddd . frintn %fd, %fn
    00011110FF100100110000nnnnnddddd . frintp %fd, %fn
    00011110FF100101010000nnnnnddddd . frintm %fd, %fn
    00011110FF100101110000nnnnnddddd . frintz %fd, %fn
    00011110FF100110010000nnnnnddddd . frinta %fd, %fn
    00011110FF100111010000nnnnnddddd . frintx %fd, %fn
    00011110FF100111110000nnnnnddddd . frinti %fd, %fn
    00011110FF1mmmmm001000nnnnn00000 c fcmp %fn, %fm
    00011110FF100000001000nnnnn01000 c fcmp %fn, #0.0
    00011110FF1mmmmm001000nnnnn10000 c fcmpe %fn, %fm
    00011110FF100000001000nnnnn11000 c fcmpe %fn, #0.0
    00011110FF1iiiiiiii10000000ddddd . fmov %fd, %Fi
    00011110FF1mmmmmcccc01nnnnn0ffff c fccmp %fn, %fm, %#f, %cc
    00011110FF1mmmmmcccc01nnnnn1ffff c fccmpe %fn, %fm, %#f, %cc
    00011110FF1mmmmmcccc11nnnnnddddd . fcsel %fd, %fn, %fm, %cc
    00011110FF1mmmmm000010nnnnnddddd . fmul %fd, %fn, %fm
    00011110FF1mmmmm000110nnnnnddddd . fdiv %fd, %fn, %fm
    00011110FF1mmmmm001010nnnnnddddd . fadd %fd, %fn, %fm
    00011110FF1mmmmm001110nnnnnddddd . fsub %fd, %fn, %fm
    00011110FF1mmmmm010010nnnnnddddd . fmax %fd, %fn, %fm
    00011110FF1mmmmm010110nnnnnddddd . fmin %fd, %fn, %fm
    00011110FF1mmmmm011010nnnnnddddd . fmaxnm %fd, %fn, %fm
    00011110FF1mmmmm011110nnnnnddddd . fminnm %fd, %fn, %fm
    00011110FF1mmmmm100010nnnnnddddd . fnmul %fd, %fn, %fm
    00011111FF0mmmmm0aaaaannnnnddddd . fmadd %fd, %fn, %fm, %fa
    00011111FF0mmmmm1aaaaannnnnddddd . fmsub %fd, %fn, %fm, %fa
    00011111FF1mmmmm0aaaaannnnnddddd . fnmadd %fd, %fn, %fm, %fa
    00011111FF1mmmmm1aaaaannnnnddddd . fnmsub %fd, %fn, %fm, %fa
  """
