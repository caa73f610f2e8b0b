package main

import "time"

// settled waits until nothing moves on the screen.
var settled = still(400 * time.Millisecond)

// minute is the recording of the first minute. Without traffic nothing but the keys changes the screen.
var minute = scene{
	name: "first-minute", width: 120, height: 30, still: 4,
	args: append(demo, "--traffic", "0"),
	moments: []moment{
		{"rung demo", "Opens a built-in cluster. All that decides about a connection is one ladder: lower numbers decide first.", 6,
			[]step{inSync, settled}},
		{"j j", "Down to a policy. Notes about it stand below the table.", 4,
			[]step{down("cluster-control"), settled}},
		{"enter", "Into it: its rules, in the order in which they decide.", 5,
			[]step{press("enter"), wait("subject", "egress 5", "in sync"), settled}},
		{"j", "Down to a rule.", 2.5,
			[]step{down("egress 0"), settled}},
		{"enter", "What the rule does, whether OVN has its rows in every zone, what is wrong, and what the match means.", 7,
			[]step{press("enter"), wait("as desired in", "allow-to-dns", "zone ovn-worker"), settled}},
		{"]", "The same rule in the next zone.", 3,
			[]step{press("]"), wait("zone ovn-worker2"), settled}},
		{"esc esc", "Back to the ladder, each time to the line you came from.", 3,
			[]step{press("esc"), wait("egress 5", "subject"), press("esc"), inSync, settled}},
		{":", "A question: may api-d0 connect to web-f0 on port 8080?", 4,
			[]step{press(":"), typed("trace api-d0 red/web-f0 8080"), wait("trace api-d0 red/web-f0 8080"), settled}},
		{"enter", "The answer, and which rule decides: by the policies, and by the live rows beside them.", 7,
			[]step{press("enter"), wait("trace blue/api-d0", "rows agree", "not reached"), settled}},
		{"1", "The ladder again.", 2,
			[]step{press("1"), inSync, down("cluster-control"), settled}},
		{"m j j", "Move the policy: from 34 to 36.", 4,
			[]step{press("m", "j", "j"), wait("34 → 36"), settled}},
		{"enter", "What that would do: 12 rows change in every zone, no connection does. Nothing is written yet.", 7,
			[]step{press("enter"), wait("nothing is written yet", "26600 → 26400", "kubectl patch"), settled}},
		{"a", "The question before every change. Its default is No.", 4,
			[]step{press("a"), question("sandbox only"), settled}},
		{"y", "Made, and followed until all three zones have it. U undoes it.", 5,
			[]step{press("y"), wait("36 ─ cluster-control"), inSync}},
	},
}
