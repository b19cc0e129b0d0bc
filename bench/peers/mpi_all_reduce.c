// bench/all_reduce.cpp's measurement with MPI_Allreduce:
//   mpirun -n 2 mpi_all_reduce BATCHES BYTES:CALLS...
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int batches = atoi(argv[1]);
  double* seconds = malloc((size_t)batches * sizeof(double));
  for (int argument = 2; argument < argc; ++argument) {
    long bytes;
    int calls;
    if (sscanf(argv[argument], "%ld:%d", &bytes, &calls) != 2) MPI_Abort(MPI_COMM_WORLD, 1);
    const int elements = (int)(bytes / (long)sizeof(float));
    float* operand = malloc((size_t)bytes);
    float* result = malloc((size_t)bytes);
    for (int i = 0; i < elements; ++i) operand[i] = (float)(rank + 1);
    for (int batch = -1; batch < batches; ++batch) {  // the first warms up
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      for (int i = 0; i < calls; ++i) {
        MPI_Allreduce(operand, result, elements, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      }
      if (batch >= 0) seconds[batch] = (MPI_Wtime() - begin) / calls;
    }
    qsort(seconds, (size_t)batches, sizeof(double), compare);
    if (rank == 0) printf("{\"key\": \"%ld\", \"seconds\": %g}\n", bytes, seconds[batches / 2]);
    free(operand);
    free(result);
  }
  free(seconds);
  MPI_Finalize();
  return 0;
}
