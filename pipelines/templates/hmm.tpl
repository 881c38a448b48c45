# Tables of a hidden Markov model: the word; for rare words their shape and ending, from the longest to none.
U0:%x[0,0]
U1:%type[0,0]/%suffix[0,0,5]
U2:%type[0,0]/%suffix[0,0,4]
U3:%type[0,0]/%suffix[0,0,3]
U4:%type[0,0]/%suffix[0,0,2]
U5:%type[0,0]/%suffix[0,0,1]
U6:%type[0,0]
B
