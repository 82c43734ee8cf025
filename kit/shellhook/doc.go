// Package shellhook runs the person's own commands at fixed points of the loop, in the convention of hooks that people
// already have files for:
//
//	hooks:
//	  PreToolUse:
//	    - matcher: "Bash|Edit"
//	      hooks:
//	        - { type: command, command: ./check.sh, timeout: 10 }
//
// # Events
//
// PreToolUse, PostToolUse (the tool succeeded), PostToolUseFailure (it failed), UserPromptSubmit, SessionStart, SessionEnd
// and Stop run from [Hooks.Hook]; PermissionRequest and Notification from [Hooks.Asker] and [Hooks.Notify]; PreCompact and
// PostCompact around a compaction. [Parse] names every other event, and what else it cannot serve.
//
// # Matchers
//
// An empty matcher, or *, matches all. One of letters, digits, _ and | is a list of exact names; anything else is a regular
// expression that has to be found in the name, case-sensitive. A tool is matched by our name and by the names other agents
// have for it (bash is Bash too, read_file Read, write_file Write; edit_file, multi_edit and apply_patch are all Edit and
// MultiEdit), so a matcher written for either works. SessionStart is matched by source, PreCompact by trigger,
// Notification by kind.
//
// # What a command is given
//
// One JSON object on standard input: session_id, transcript_path, cwd, hook_event_name, permission_mode, and what belongs
// to the event. tool_name is our name, tool_alias the one of other agents. tool_input has our arguments and, where other
// agents name them differently, those names as well (file_path for path, old_string and new_string), so that existing
// checks do not look past them. It starts in the project's directory, which is also CLAUDE_PROJECT_DIR and
// AGENT_PROJECT_DIR, without the agent's keys.
//
// # What it may answer
//
// Status 0: an object on standard output is a decision, see below; other output of SessionStart and UserPromptSubmit is
// context for the model. Status 2 blocks, standard error is the reason. Any other status, a time limit that was reached
// (60 s, the command is then killed) and output that cannot be used do not block: the person is told, the action goes on.
// So a check that must hold has to end in time, or be a rule of the permissions.
//
// Objects: continue and stopReason end the run; systemMessage is shown to the person; decision "block" and reason do what
// status 2 does; hookSpecificOutput has permissionDecision (deny, then defer and ask, which both ask the person),
// permissionDecisionReason, updatedInput, additionalContext, updatedToolOutput, and decision of PermissionRequest. Several
// commands for one event run beside each other; the strongest answer counts, of updates the last.
//
// Hooks only tighten: permissionDecision "allow" never loosens what the permissions ask or refuse. It only means that this
// hook has nothing against it. The allow of PermissionRequest answers the question in the person's name, which is why hooks
// from a directory that the person does not trust must not be given to [New].
//
// Blocking a prompt keeps it from the model, but the session notes that there was one. A Stop hook may block eight times
// in a row. Context is kept in memory until the next call of the model: a crash in between loses it.
package shellhook
