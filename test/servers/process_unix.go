//go:build unix

package servers

import "syscall"

// KillProcess, StopProcess and ContProcess send a process SIGKILL, SIGSTOP and SIGCONT.
func KillProcess(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) }

// StopProcess makes a process stand still.
func StopProcess(pid int) error { return syscall.Kill(pid, syscall.SIGSTOP) }

// ContProcess lets a process go on.
func ContProcess(pid int) error { return syscall.Kill(pid, syscall.SIGCONT) }
