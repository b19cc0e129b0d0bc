// The program that owns the precompiled header.
int main() { return 0; }
