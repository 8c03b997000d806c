// VarsC: a function with variables of many kinds reads a member through a pointer that is none.

enum colour { red, green = 5, blue = -2 };

struct point {
    int x, y;
};

struct shelf {
    long id;
    struct {
        struct point origin;
        short width[4];  // width[2] is at 0x14
    } box;
    union {
        long count;
        double weight;
    } load;
    unsigned flags : 3, kind : 5;
    struct shelf *next;
};

volatile long shelf_number = 6;

__attribute__((noinline)) long measure(const struct shelf *shelf, enum colour colour, signed char step, unsigned char limit,
                                       _Bool on, struct point at, double factor, unsigned long mask) {
    const int scale = 3;
    long number = shelf_number * 7;  // when optimised, no instruction multiplies, but DWARF does
    (void)number;
    long width = shelf->box.width[2];  // crashes here
    if (on) width *= step;
    return (long)((double)(width + colour + at.x * at.y + scale) * factor) ^ (long)(mask & limit);
}

int main(void) {
    struct point at = {-3, 4};
    struct shelf *shelf = (struct shelf *)(0x133700000000 + shelf_number * 0x1000);
    return measure(shelf, blue, -7, 200, 1, at, 2.5, 0xfeedface) == 1;
}
