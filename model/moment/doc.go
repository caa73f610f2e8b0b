// Package moment reads the times that people type: in filters of log lines, in flags, and where
// the console asks for one. Every form is read everywhere.
package moment
