// Package safefile writes files so that a full disk, a kill or another program at the
// same moment does no harm: every file Rung leaves behind goes through it.
//
// Invariants: a reader sees the old text or the new one, never a part (ReplaceFile, CreateFile,
// SwapText); on an error nothing new stays behind; a file that is not Rung's to replace
// keeps its owner, its mode and anything that others wrote meanwhile (SwapText); lines are
// added whole, on a line of their own (AppendLines); a file under the state folder is
// regular, the user's own and readable by nobody else (OpenPrivate, ReadPrivate,
// CheckFolder), and nothing ever waits for a named pipe.
//
// All calls of the operating system go through the interface FS, so that tests have one
// that fails (test/faultfs). Paths are not cleaned for printing.
//
// It imports nothing of Rung. sources/manifests and engine import it; cli and ui
// reach it through engine.
package safefile
