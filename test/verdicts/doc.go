// Package verdicts holds the packages of model/verdict against each other, against the compiler's
// rows, and against judges that are written from the documents alone.
package verdicts
