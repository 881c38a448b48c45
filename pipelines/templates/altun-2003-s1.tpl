# Altun, Johnson and Hofmann (2003), Spanish named entities: feature set S1.

# The word, and the spelling features that the paper names: its last one, two and three letters; whether its first letter
# is lower case, upper case, a letter or digit at all; a capital in front and a full stop; all capitals; a hyphen; a full
# stop at the end, which its example of S3 asks for.
U000:%x[0,0]
U001:%suffix[0,0,1]
U002:%suffix[0,0,2]
U003:%suffix[0,0,3]
U004:%t[0,0,"^\l"]
U005:%t[0,0,"^\u"]
U006:%t[0,0,"^[\p{L}\p{N}]"]
U007:%t[0,0,"^\u.*\."]
U008:%t[0,0,"^[^\p{Ll}]*\u[^\p{Ll}]*$"]
U009:%t[0,0,"-"]
U010:%t[0,0,"\.$"]
