int price(int x) {
    int sum = 0;
    for (int i = 0; i < 3; i++) sum += x ^ i;
    return sum;
}
