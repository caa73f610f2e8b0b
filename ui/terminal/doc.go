// Package terminal lends the terminal to the user's editor and to the shell (ctrl+z,
// SIGTSTP) and takes it back. It also cleans the terminal's input, and lets the console end
// although nobody reads its output.
//
// Only package ui imports it. It may touch the process and its terminal, which
// views may not.
package terminal
