package command

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"

	"rung/test/wait"
)

// TestSaveMemory: nothing is collected at the start, and from the first collection on more often.
func TestSaveMemory(t *testing.T) {
	percent := func() int {
		s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(s)
		return int(s[0].Value.Uint64())
	}
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(percent())
	SaveMemory()
	if got := percent(); got != startPercent {
		t.Errorf("%d percent at the start, not %d", got, startPercent)
	}
	wait.Within(t, wait.Patience, "a collection changes the percentage", func() bool { runtime.GC(); return percent() == gcPercent })
	t.Setenv("GOGC", "100")
	SaveMemory()
	if got := percent(); got != gcPercent {
		t.Errorf("%d percent although GOGC is set", got)
	}
}
