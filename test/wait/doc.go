// Package wait polls until something holds, for tests of programs that run beside
// them and tell nobody when they are done.
//
// Only tests import it.
package wait
