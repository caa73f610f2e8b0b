// Package activity shows what Rung did to zones and policies, with equivalent commands. It also lists running
// and ended logging sessions.
package activity
