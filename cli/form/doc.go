// Package form prints JSON as a template says, as kubectl does with -o jsonpath, go-template
// and custom-columns: with client-go's jsonpath, and Go's parser of templates.
//
// Invariants: a template that is wrong is an error of one line, before anything is printed;
// nothing is written, a form returns text. What Go's parser read is run here (template.go):
// text/template looks methods up by name, so that the linker keeps all of them, 13 MB.
//
// It knows model/clean and client-go's jsonpath; cli/command imports it.
package form
