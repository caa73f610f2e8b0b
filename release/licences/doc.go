// Package licences gathers the licences and notices of the modules that are linked into the
// program, on any platform it is released for, and of Go itself. A module without a licence, or
// with one that is not on the list of those known, is an error: nothing is released with it.
package licences
