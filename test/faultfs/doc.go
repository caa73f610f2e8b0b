// Package faultfs is a file system that fails on demand: full, torn, unreadable,
// or dead from one operation on, as after a kill. It works on real files, needs no
// privileges, and counts what it is asked for, so that a test can let every single
// operation fail in turn.
//
// Only tests import it.
package faultfs
