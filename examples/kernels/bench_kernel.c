/* The kernel of bench_kernel.spl in C with OpenMP: what the ratio there is measured against. bench_kernel.sh compiles it. */
void activation(const float *input, float *output, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        output[i] = input[i] * input[i] + 1.0f;
}
