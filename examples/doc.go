// Package examples holds the manifests of the built-in demo cluster. Each file
// says in its first lines what it is for; `rung -f examples` reads them like any
// other folder.
//
// It is a leaf: engine reads it for the demo.
package examples
