// Package consequences tells what a change does to connections, and to those of the log.
package consequences
