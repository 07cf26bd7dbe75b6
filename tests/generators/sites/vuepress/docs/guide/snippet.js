var snippet = 1;
