// The few declarations of Foundation this sample uses; Apple's headers are not needed.

__attribute__((objc_root_class))
@interface NSObject {
    Class isa;
}
+ (instancetype)new;
- (void)touch;
@end

@interface NSArray : NSObject
- (id)objectAtIndex:(unsigned long)index;
@end
