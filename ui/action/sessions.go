package action

import (
	"rung/change/gate"
)

// SessionsLogging is the action of the view of logging sessions.
const SessionsLogging ID = "sessions.logging"

var sessionActions = []Action{
	{ID: SessionsLogging, Keys: []string{"L"}, Title: "logging", Footer: 20, Op: gate.OpLogLevel, Danger: gate.Confirmed,
		Help: "change the session under the cursor, or end it now"},
}
