// ObjCThrow: asks an array for an item it does not have. Foundation throws an NSException
// that nobody catches, and the process is aborted far away from the mistake.

#include "Foundation.h"

@interface Shop : NSObject
- (id)itemAtIndex:(unsigned long)index;
@end

@implementation Shop {
    NSArray *_items;
}

- (id)itemAtIndex:(unsigned long)index {
    id item = [_items objectAtIndex:index];  // throws NSRangeException
    [self touch];
    return item;
}
@end

static inline id last_item(Shop *shop) {
    id item = [shop itemAtIndex:3];
    [shop touch];
    return item;
}

__attribute__((noinline)) void show_last_item(Shop *shop) {
    [last_item(shop) touch];
}

int main(void) {
    show_last_item([Shop new]);
    return 0;
}
