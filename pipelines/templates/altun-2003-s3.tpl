# Altun, Johnson and Hofmann (2003), Spanish named entities: feature set S3.

# The word, and spelling features that the paper names: its last one, two and three letters; whether its first letter
# is lower case, upper case, a letter or digit at all; a capital in front and a full stop; all capitals; a hyphen.
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

# The paper names only some: others of the kind. What the word looks like, how it begins, the first of a sentence.
U020:%lower[0,0]
U021:%type[0,0]
U022:%shape[0,0]
U023:%prefix[0,0,1]
U024:%prefix[0,0,2]
U025:%prefix[0,0,3]
U030:%t[-1,0,"^_x-1$"]
U031:%t[-1,0,"^_x-1$"]/%t[0,0,"^\u"]

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
U120:%lower[-1,0]
U121:%type[-1,0]
U122:%shape[-1,0]
U123:%prefix[-1,0,1]
U124:%prefix[-1,0,2]
U125:%prefix[-1,0,3]

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
U220:%lower[1,0]
U221:%type[1,0]
U222:%shape[1,0]
U223:%prefix[1,0,1]
U224:%prefix[1,0,2]
U225:%prefix[1,0,3]

# Two tags in a row.
B
