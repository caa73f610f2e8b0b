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
		{"j j", "Down to a policy that never applies. Notes about it stand below the table.", 4,
			[]step{down("blue-asks-green"), settled}},
		{"enter", "Into it: its rules, in the order in which they decide.", 5,
			[]step{press("enter"), wait("subject", "egress 0", "in sync"), settled}},
		{"j", "Down to a rule.", 2.5,
			[]step{down("egress 0"), settled}},
		{"enter", "What the rule does, whether OVN has its rows in every zone, why it never applies, and what its match means.", 7,
			[]step{press("enter"), wait("as desired in", "allow-to-green-api", "zone ovn-worker"), settled}},
		{"]", "The same rule in the next zone.", 3,
			[]step{press("]"), wait("zone ovn-worker2"), settled}},
		{"esc esc", "Back to the ladder, each time to the line you came from.", 3,
			[]step{press("esc"), wait("egress 0", "subject"), press("esc"), inSync, settled}},
		{":", "A question: may blue's api-d0 connect to green's api-c0 on port 8080?", 4,
			[]step{press(":"), typed("trace api-d0 green/api-c0 8080"), wait("trace api-d0 green/api-c0 8080"), settled}},
		{"enter", "The answer, and which rule decides: by the policies, and by the live rows beside them.", 7,
			[]step{press("enter"), wait("trace blue/api-d0", "rows agree", "not reached"), settled}},
		{"1", "The ladder again.", 2,
			[]step{press("1"), inSync, down("blue-asks-green"), settled}},
		{"m 42", "Move the policy: from 50 to 42, above the one that denies first.", 4,
			[]step{press("m", "4", "2"), wait("50 → 42"), settled}},
		{"enter", "What that would do: 2 rows change in every zone, 14 pairs of pods may connect. Nothing is written yet.", 7,
			[]step{press("enter"), wait("nothing is written yet", "25000 → 25800", "opens 14 pairs"), settled}},
		{"a", "The question before every change. This one opens connections, so it asks for the name.", 4,
			[]step{press("a"), question("sandbox only"), typed("blue-asks-green"), settled}},
		{"enter", "Made, and followed until all three zones have it. U undoes it.", 5,
			[]step{press("enter"), wait("42 ─ blue-asks-green"), inSync}},
	},
}
