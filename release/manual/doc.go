// Package manual writes the pages of man and the completions of shells from the texts of the
// command line itself, so that neither can say something else than --help does.
package manual
