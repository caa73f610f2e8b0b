// Package form prints JSON as a template says, as kubectl does with -o jsonpath and
// custom-columns: with client-go's jsonpath.
//
// Invariants: a template that is wrong is an error of one line, before anything is printed;
// nothing is written, a form returns text. Go's templates are not here: they look methods up by
// name, so that the linker keeps every method of the program, 13 MB of them.
//
// It knows model/clean and client-go's jsonpath; cli/command imports it.
package form
