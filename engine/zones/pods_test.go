package zones

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model/ovn/flow"
	"rung/model/verdict"
	"rung/sources/nbdb"
)

// The table of clusters.md has every command that is run in pods, and no other.
func TestPodCommandsAreTold(t *testing.T) {
	text, err := os.ReadFile("../../docs/clusters.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## What Rung never does\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var told []string
	for _, m := range regexp.MustCompile("(?m)^ *\\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1) {
		told = append(told, m[1])
	}
	if diff := cmp.Diff(podCommands, told); diff != "" {
		t.Errorf("docs/clusters.md#what-rung-never-does (-podCommands +document)\n%s", diff)
	}
}

// A command that no line of podCommands means is not run.
func TestNoOtherCommandInPods(t *testing.T) {
	for _, cmd := range [][]string{
		nil,
		{"sh"},
		{"sh", "-c", "reboot"},
		{"ovn-nbctl", "show"},
		{"ovsdb-client", "--timeout=5", "-f", "json", "transact", "unix:/var/run/ovn/ovnnb_db.sock", "[]"},
		{"ovn-appctl", "-t", "ovn-controller", "exit"},
		{"ovn-appctl", "-t", "ovn-controller", "meter-table-list", "exit"},
		{"ovs-ofctl", "-O", "OpenFlow15", "del-flows", "br-int"},
		{"socat", "-", "EXEC:sh"},
	} {
		// Without a cluster a command that is run ends in a panic.
		if err := (podRunner{}).Run(context.Background(), cmd, nil, io.Discard, io.Discard); !errors.Is(err, errPodCommand) {
			t.Errorf("%q: %v", cmd, err)
		}
	}
	ask := flow.PacketQuestion{Zone: "n1", Datapath: "n1", Inport: "blue_api-0", EthSrc: "0a:58:0a:f4:01:03", EthDst: "0a:58:0a:f4:01:01",
		Src: netip.MustParseAddr("10.244.1.3"), Dst: netip.MustParseAddr("10.244.2.4"), Protocol: verdict.TCP, Port: 8080}
	traced, err := ask.CommandLine("unix:" + nbdb.DefaultSouthboundSocket)
	if err != nil || !slices.ContainsFunc(podCommands, func(line string) bool { return matchesCommand(line, traced) }) {
		t.Errorf("%q is none of the commands: %v", traced, err)
	}
	for cmd, line := range map[string]string{
		"ovn-appctl -t ovn-controller meter-table-list": "ovn-appctl -t ovn-controller meter-table-list",
		"sh -c x rung":                "sh -c … rung …",
		"sh -c x rung /a /b":          "sh -c … rung …",
		"socat - UNIX-CONNECT:/run/a": "socat - UNIX-CONNECT:…",
		"ovsdb-client --timeout=5 -f json query unix:/a []": "ovsdb-client --timeout=… -f json query …",
		"ovs-ofctl -O OpenFlow15 meter-stats br-int":        "ovs-ofctl -O OpenFlow15 meter-stats br-int",
	} {
		if !slices.Contains(podCommands, line) || !matchesCommand(line, strings.Fields(cmd)) {
			t.Errorf("%q is not %q", cmd, line)
		}
	}
}
