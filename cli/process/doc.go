// Package process is Rung as a process of the system: the signals that end it, streams
// that somebody reads or not, how much memory the runtime may take, and the log that
// libraries write to while there is a screen. It knows no command.
package process
