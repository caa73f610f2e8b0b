// Package selection has the flags that narrow a list of objects as kubectl does: -n, -A, -l and
// --field-selector. A Selection says of each object whether it is asked for, and counts those that
// are not: what is left out is said beside every answer.
package selection
