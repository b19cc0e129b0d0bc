// program
