// Package clean makes text from outside safe to print: names, labels,
// annotations, log lines and database strings pass through it where they
// enter. It is a leaf and may be imported by everybody.
package clean
