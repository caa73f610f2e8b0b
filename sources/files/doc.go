// Package files reads files that may never answer. It writes files safely despite a full disk, a kill or
// another program at the same moment.
//
// Reading: every wait ends with a context, also the wait for a FIFO's writer. A system call that cannot be
// ended stays behind in a goroutine, which closes the opened file. OpenRegular opens only regular files, and
// does not wait.
//
// Writing: a reader sees the old text or the new one, never a part (ReplaceFile, CreateFile, SwapText). On an
// error nothing new stays behind. A file that is not Rung's to replace keeps its owner, its mode and
// concurrent changes (SwapText). Lines are added whole (AppendLines). A file under the state folder is
// regular, the user's own and readable by no other user (OpenPrivate, ReadPrivate, CheckFolder).
//
// Writing calls the operating system through the interface FS, so that tests can inject failures
// (test/faultfs). Paths are not cleaned for printing. It imports nothing of Rung.
package files
