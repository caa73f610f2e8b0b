// Package arch holds the tests that keep the house in order: who may import
// whom, which packages are free of I/O and of the clock, where styles are made,
// how long a file may grow, whether what comments and documents cite is there.
// The rules are tables in the tests; the prose is docs/architecture.md. It reads
// source text only, so it is quick and does not need the module to compile.
// Nobody imports it.
package arch
