// Package passages tells what may connect to what, by workload: at which ports, and who decides.
package passages
