package ui

import (
	"fmt"
	"runtime/debug"
	"time"

	"rung/engine/statedir"
)

// report writes what an internal error left behind and says where.
func report(dir string, at time.Time, what any, doing string) string {
	text := fmt.Sprintf("rung: internal error at %s while %s\n\n%v\n\n%s", at.Format(time.RFC3339), doing, what, debug.Stack())
	path, err := statedir.Keep(dir, "error-"+at.UTC().Format("20060102-150405.000")+".txt", []byte(text))
	if err != nil {
		return fmt.Sprintf("%v (no report: %v)", what, err)
	}
	return fmt.Sprintf("%v; the report is %s", what, path)
}
