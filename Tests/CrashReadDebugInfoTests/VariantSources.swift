/// Small programs that need no headers, so that they compile quickly and for any system. They are full of calls that
/// compilers inline, split, move and drop.
enum VariantSources {
  static let all = [
    "a.c": c, "b.cpp": cxx, "blocks.m": objectiveC, "main.swift": swift, "main.rs": rust,
    "bare.swift": embedded,
    "libSystem.tbd": stubs,
  ]

  private static let c = """
    typedef struct node { struct node *next; int value; } node;
    int other(int k);
    volatile int sink;
    static inline __attribute__((always_inline)) int leaf(node *n) {
      return n->value * 3 + (n->next ? n->next->value : 0);
    }
    static inline __attribute__((always_inline)) int both(node *n) {
      int sum = leaf(n);
      if (n->next) { int more = leaf(n->next); sum += more ^ sink; }
      return sum;
    }
    static int middle(node *n, int k) {
      int sum = 0;
      for (int i = 0; i < k; i++) sum += both(n) ^ i;
      return sum;
    }
    __attribute__((cold, noinline)) static void fail(int x) { if (x > 100) __builtin_trap(); sink = x; }
    int work(node *n, int k) {
      int sum = middle(n, k);
      if (__builtin_expect(sum > 1000, 0)) { fail(sum); sum = leaf(n); fail(sum + sink); }
      for (node *p = n; p; p = p->next) sum += both(p);
      return sum;
    }
    int unused(node *n) { return both(n) + sink; }
    int choose(int k) {
      switch (k) {
        case 0: return sink;
        case 1: return sink * 7;
        case 2: sink = 5; return 1;
        case 3: { int a = sink; return a * a; }
        case 9: return sink - 4;
        default: return k > 12 ? choose(k - 12) : k;
      }
    }
    __attribute__((noinline)) int deep(int n) { return n < 2 ? n : deep(n - 1) + deep(n - 2) * sink; }
    int main(int argc, char **argv) {
      node a = {0, argc}, b = {&a, 7};
      return work(&b, argc * 5) + other(argc) + choose(argc) + deep(argc) + argv[0][0];
    }
    """

  private static let cxx = """
    extern "C" { extern volatile int sink; int other(int); }
    namespace geometry { namespace {
    struct Shape { virtual int area() const { return 0; } virtual int sides() const { return 0; } };
    struct Named { int length; virtual int name() const { return length; } };
    struct Square : Shape, Named {
      int s;
      explicit Square(int s) : s(s) { length = 6; }
      int area() const override { return s * s; }
      int name() const override { return sink + length; }
    };
    template <class T> inline T twice(T t) { return t + t; }
    template <class T, int n> struct Array {
      T items[n];
      T &operator[](int i) { return items[i % n]; }
      template <class F> void each(F f) { for (int i = 0; i < n; i++) f(items[i]); }
      T sum() { T t = 0; each([&](T &x) { t += twice(x); }); return t; }
    };
    }}
    struct Counter {
      static int count;
      Counter() { count++; }
      ~Counter() { count--; sink = count; }
      __attribute__((noinline)) int get(int a, int b = 3) const { return a * b + count; }
    };
    int Counter::count = 0;
    template <class T> __attribute__((noinline)) T unusedTemplate(T t) { return geometry::twice(t) + sink; }
    __attribute__((noinline)) int callAll(const geometry::Shape *s, const geometry::Named *n) {
      return s->area() + s->sides() + n->name();
    }
    int other(int k) {
      Counter counter;
      geometry::Array<int, 5> v;
      for (int i = 0; i < k; i++) v[i] = geometry::twice(i);
      v.each([&](int &x) { auto inner = [](int y) { return y * 2; }; x += inner(x) > k ? inner(k) : sink; });
      geometry::Array<long long, 3> w;
      w[0] = v.sum(); w[1] = k; w[2] = sink;
      geometry::Square q(k);
      return callAll(&q, &q) + (int)w.sum() + counter.get(v[0]);
    }
    int unusedToo(int k) { geometry::Square q(k); return unusedTemplate(q.area()); }
    """

  private static let objectiveC = """
    typedef signed char BOOL;
    __attribute__((objc_root_class)) @interface Shop { int total; }
    @property (nonatomic) int count;
    + (id)alloc;
    - (int)itemAtIndex:(int)i scaled:(int)by;
    @end
    volatile int sink;
    static inline __attribute__((always_inline)) int clamp(int x) { return x > 9 ? sink : x; }
    int apply(int (^block)(int), int n) { int sum = 0; for (int i = 0; i < n; i++) sum += block(i); return sum; }
    @implementation Shop
    + (id)alloc { return (id)0; }
    - (int)itemAtIndex:(int)i scaled:(int)by {
      __block int seen = 0;
      int all = apply(^(int x) { seen += clamp(x); return clamp(x * by) + self->total; }, i);
      return all + seen + apply(^(int y) { return apply(^(int z) { return clamp(z) + y; }, y); }, by);
    }
    @end
    int main(int argc, char **argv) { Shop *shop = [Shop alloc]; return [shop itemAtIndex:argc scaled:3] + shop.count; }
    """

  private static let swift = """
    struct Item { var name: String; var prices: [Int] }
    protocol Priced { associatedtype Unit; func total() -> Int; var label: String { get } }
    extension Item: Priced {
      typealias Unit = Int
      func total() -> Int { prices.map { $0 * 2 }.filter { $0 > 1 }.reduce(0, +) }
      var label: String { name.isEmpty ? "none" : name + "!" }
    }
    @inline(__always) func clamp<T: Comparable>(_ x: T, _ low: T, _ high: T) -> T { min(max(x, low), high) }
    @inline(never) func describe<P: Priced>(_ p: P) -> String { "\\(p.label): \\(clamp(p.total(), 0, 99))" }
    @inline(never) func describeAny(_ p: any Priced) -> String { describe(p) }
    final class Shop {
      var items: [Item] = []
      subscript(i: Int) -> Item { get { items[i] } set { items[i] = newValue } }
      func add(_ item: Item) throws { if item.prices.count > 4 { throw Full() }; items.append(item) }
      deinit { print("closed") }
    }
    struct Full: Error {}
    actor Counter { var n = 0; func next(_ by: Int) -> Int { n += clamp(by, 0, 5); return n } }
    func fetch(_ c: Counter, _ i: Int) async throws -> Int {
      let a = await c.next(i)
      try await Task.sleep(nanoseconds: 1)
      async let b = c.next(a)
      return await b + a
    }
    let shop = Shop()
    for i in 0..<3 { try shop.add(Item(name: String(i), prices: Array(0..<i))) }
    shop[1].name += "x"
    print(shop.items.map(describe), describeAny(shop[0]), (try? await fetch(Counter(), 4)) ?? 0)
    """

  private static let embedded = """
    public struct Point { var x: Int; var y: Int }
    @inline(__always) func clamp(_ x: Int, _ high: Int) -> Int { x > high ? high : x }
    @inline(never) func sum(_ points: UnsafeBufferPointer<Point>, _ f: (Int) -> Int) -> Int {
      var total = 0
      for p in points { total += clamp(f(p.x), 9) + clamp(p.y, 7) }
      return total
    }
    @_cdecl("entry") public func entry(_ base: UnsafeRawPointer, _ n: Int) -> Int {
      let points = base.assumingMemoryBound(to: Point.self)
      return sum(UnsafeBufferPointer(start: points, count: n)) { $0 * n } + clamp(n, 100)
    }
    """

  private static let rust = """
    use std::collections::HashMap;
    #[derive(Debug, Clone)] enum Shape { Square(u32), Circle { r: u32 } }
    trait Area { fn area(&self) -> u32; fn twice(&self) -> u32 { self.area() * 2 } }
    impl Area for Shape {
      fn area(&self) -> u32 { match self { Shape::Square(s) => s * s, Shape::Circle { r } => 3 * r * r } }
    }
    #[inline(always)] fn total<T: Area>(v: &[T]) -> u32 { v.iter().map(|s| s.area() + s.twice()).sum() }
    fn main() {
      let n = std::env::args().count() as u32;
      let v: Vec<Shape> =
        (0..n * 3).map(|i| if i % 2 == 0 { Shape::Square(i) } else { Shape::Circle { r: i } }).collect();
      let mut m: HashMap<String, u32> = HashMap::new();
      for s in &v { *m.entry(format!("{:?}", s)).or_insert(0) += s.area(); }
      println!("{} {}", total(&v), m.len());
      if n > 9 { let o: Option<u32> = None; println!("{}", o.unwrap()); }
    }
    """

  /// What Mach-O programs are linked to.
  private static let stubs = """
    --- !tapi-tbd
    tbd-version: 4
    targets: [ arm64-macos, x86_64-macos, armv7-ios, armv7k-watchos, arm64_32-watchos, arm64-ios ]
    install-name: '/usr/lib/libSystem.B.dylib'
    exports:
      - targets: [ arm64-macos, x86_64-macos, armv7-ios, armv7k-watchos, arm64_32-watchos, arm64-ios ]
        symbols: [ dyld_stub_binder ]
    ...

    """
}
