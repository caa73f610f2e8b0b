// Package form prints JSON by a template, as kubectl does with -o jsonpath and -o custom-columns,
// with client-go's jsonpath.
//
// Invariants: a wrong template is an error of one line, before anything is printed;
// nothing is written, a form returns text.
//
// It knows model/clean and client-go's jsonpath; cli/command imports it.
package form
