// Package child runs the sandbox's servers and daemons as processes that end
// with this one, however it ends: by PDEATHSIG where the kernel has it, else by a
// watchdog that notices a broken pipe.
//
// Invariants: a child never outlives Rung, killed with SIGKILL or not; Close
// returns when the process is gone; a process that died is started again until
// Close, and each change of its state is reported.
//
// It may import model/clean and the tools of sources; only the sandbox's packages
// import it.
package child
