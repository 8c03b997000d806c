// VarsCpp: a method of a derived class is called through a pointer to no object.

namespace depot {

enum class Colour : short { red, green = 5 };

struct Place {
    int row, column;
};

struct Named {
    const char *name = "";
    virtual long weight() const { return 1; }
};

struct Crate : Named {
    Place place = {};  // at 0x10, behind the base class; column is at 0x14
    Crate *inner = nullptr;

    long distance(Colour colour, const Place &from, bool deep) const;
};

__attribute__((noinline)) long Crate::distance(Colour colour, const Place &from, bool deep) const {
    const Crate *crate = this;
    int columns = crate->place.column - from.column;  // crashes here
    return deep ? columns * static_cast<int>(colour) : columns + from.row;
}

}  // namespace depot

volatile unsigned long number = 6;

// clang describes a class only where an object of it is made.
__attribute__((used)) long spare() {
    depot::Crate crate;
    return crate.distance(depot::Colour::red, crate.place, false);
}

int main() {
    const depot::Place from = {1, 2};
    auto *crate = reinterpret_cast<depot::Crate *>(0x133700000000 + number * 0x1000);
    return crate->distance(depot::Colour::green, from, true) == 3;
}
