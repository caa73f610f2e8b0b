// Package drift tells how the rows of zones differ from what the policies compile to.
package drift
