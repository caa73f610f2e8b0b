package timing

import (
	"os"
	"slices"
	"testing"
	"time"

	"rung/test/install"
	"rung/test/term"
)

// soakVar is how long TestSoakMemory lasts.
const soakVar = "RUNG_SOAK_FOR"

// TestSoakMemory: with ten times the demo's traffic the memory of the process levels off, and
// stays below what is promised, while the log is on the screen. Ten minutes are what a hundred
// of the demo are.
func TestSoakMemory(t *testing.T) {
	install.Soak(t)
	lasts := 10 * time.Minute
	if text := os.Getenv(soakVar); text != "" {
		var err error
		if lasts, err = time.ParseDuration(text); err != nil {
			t.Fatalf("%s: %v", soakVar, err)
		}
	}
	d := term.Start(t, term.Options{Path: install.Binary(t), Args: []string{"demo", "--sandbox-ovn", "off", "--traffic", "120"}, Width: 120, Height: 34})
	d.WaitFor("break-glass")
	d.Press("l").WaitFor("● follow")
	const looks = 60
	var curve []int // in MB
	for range looks {
		var most int
		for range 20 {
			time.Sleep(lasts / looks / 20)
			most = max(most, memory(t, d.Pid())>>20)
		}
		curve = append(curve, most)
		if len(curve)%5 == 0 {
			t.Logf("%v: %d MB", (time.Duration(len(curve)) * lasts / looks).Round(time.Second), most)
		}
	}
	early, late := slices.Max(curve[looks/4:looks/2]), slices.Max(curve[looks/2:])
	if late > early+early/20 {
		t.Errorf("memory still rises: %d MB in the second half, %d MB in the quarter before", late, early)
	}
	if late > 130 {
		t.Errorf("memory %d MB, more than 130", late)
	}
}
