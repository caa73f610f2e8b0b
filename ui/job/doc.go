// Package job is the screen's share of job control: it hands the terminal to the
// user's editor and takes it back, stops Rung for the shell (ctrl+z, SIGTSTP) and
// brings the screen back afterwards; and it is the terminal's input, of which it knows
// sooner whether an Esc is one, and where pasted text ends, and its output, which ends
// with the console though nobody may read it.
//
// The editor has a process group of its own in front of the terminal, as a shell
// would start it: keys that are signals reach it alone, and when Rung is told to
// end, the whole group is told, the editor behind a wrapper script included.
// After every way back the terminal's modes are those from before.
//
// Only package ui imports it. It may touch the process and its terminal, which
// views may not.
package job
