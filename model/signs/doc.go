// Package signs is the one table of signs: what each stands for on a screen and in the
// answers of commands, its plain form for --ascii, and its meaning. A sign has one meaning,
// whatever colour it has. Everybody may import it; it imports nothing.
package signs
