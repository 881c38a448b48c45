# Altun, Johnson and Hofmann (2003), Spanish named entities: feature set S3.

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

# The same of the word before.
U100:%x[-1,0]
U101:%suffix[-1,0,1]
U102:%suffix[-1,0,2]
U103:%suffix[-1,0,3]
U104:%t[-1,0,"^\l"]
U105:%t[-1,0,"^\u"]
U106:%t[-1,0,"^[\p{L}\p{N}]"]
U107:%t[-1,0,"^\u.*\."]
U108:%t[-1,0,"^[^\p{Ll}]*\u[^\p{Ll}]*$"]
U109:%t[-1,0,"-"]
U110:%t[-1,0,"\.$"]

# The same of the word behind.
U200:%x[1,0]
U201:%suffix[1,0,1]
U202:%suffix[1,0,2]
U203:%suffix[1,0,3]
U204:%t[1,0,"^\l"]
U205:%t[1,0,"^\u"]
U206:%t[1,0,"^[\p{L}\p{N}]"]
U207:%t[1,0,"^\u.*\."]
U208:%t[1,0,"^[^\p{Ll}]*\u[^\p{Ll}]*$"]
U209:%t[1,0,"-"]
U210:%t[1,0,"\.$"]

# Two tags in a row.
B
