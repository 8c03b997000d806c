// elfutils: libelf reads the sections, libdw the DWARF in them. Debian package: libdw-dev.
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <libelf.h>
