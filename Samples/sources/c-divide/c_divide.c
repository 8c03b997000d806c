// c-divide: divides by zero inside nested scopes and inlined functions, compiled by GCC.

#include <stdio.h>

struct sample {
    int sum;
    int count;
};

static inline int mean(const struct sample *sample) {
    return sample->sum / sample->count;  // a sample without values
}

__attribute__((noinline)) int largest_mean(const struct sample *samples, int number) {
    int largest = 0;
    for (int i = 0; i < number; i++) {
        const struct sample *sample = &samples[i];
        {
            int value = mean(sample);
            if (value > largest) {
                int previous = largest;
                largest = value;
                printf("%d is larger than %d\n", value, previous);
            }
        }
    }
    return largest;
}

int main(int argc, char **argv) {
    (void)argv;
    struct sample samples[] = {{12, 4}, {30, 5}, {0, argc - 1}};

    // A function inside a function, as GCC allows.
    int measure(void) {
        int result = largest_mean(samples, 3);
        return result + samples[0].count;
    }
    return measure() == 9;
}
