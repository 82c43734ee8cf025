package sandbox

import "path/filepath"

// homeSecrets are files and directories below a home directory that hold keys, tokens, passwords, or what a person did.
func homeSecrets() []string {
	return []string{
		// keys and passwords
		".ssh", ".gnupg", ".pki", ".password-store", ".local/share/keyrings", ".local/share/kwalletd", ".kde/share/apps/kwallet",
		".config/age", ".config/sops", ".config/op", ".config/1Password", ".config/Bitwarden", ".config/KeePass", ".config/keepassxc",
		".netrc", ".authinfo", ".authinfo.gpg", ".pgpass", ".my.cnf", ".mylogin.cnf", ".vault-token", ".Xauthority", ".ICEauthority",
		// clouds and containers
		".aws", ".azure", ".oci", ".aliyun", ".kube", ".docker", ".config/gcloud", ".config/doctl", ".config/rclone", ".config/helm",
		".config/containers/auth.json", ".boto", ".s3cfg", ".terraformrc", ".terraform.d/credentials.tfrc.json", ".fly", ".config/heroku",
		".config/netlify", ".config/vercel", ".local/share/com.vercel.cli", ".config/.wrangler",
		// code hosts and package registries
		".git-credentials", ".config/git/credentials", ".config/gh", ".config/hub", ".config/glab-cli", ".pypirc", ".gem/credentials",
		".cargo/credentials", ".cargo/credentials.toml", ".m2/settings.xml", ".m2/settings-security.xml", ".composer/auth.json",
		".config/composer/auth.json", ".yarnrc.yml", ".hex/hex.config", ".config/pypoetry/auth.toml",
		// models and other agents
		".huggingface/token", ".cache/huggingface/token", ".config/openai", ".claude/.credentials.json", ".claude.json", ".codex/auth.json",
		".gemini/oauth_creds.json", ".config/github-copilot", ".local/share/opencode/auth.json", ".config/goose",
		// browsers, mail, chat
		".mozilla", ".thunderbird", ".config/google-chrome", ".config/google-chrome-beta", ".config/chromium", ".config/BraveSoftware",
		".config/microsoft-edge", ".config/vivaldi", ".config/opera", ".cache/mozilla", ".cache/google-chrome", ".cache/chromium",
		".config/Slack", ".config/discord", ".config/Signal", ".local/share/TelegramDesktop", ".config/Code/User/globalStorage",
		".var/app", "snap/firefox", "snap/chromium",
		// histories
		".bash_history", ".zsh_history", ".zhistory", ".histfile", ".sh_history", ".history", ".local/share/fish/fish_history", ".python_history",
		".node_repl_history", ".psql_history", ".mysql_history", ".sqlite_history", ".rediscli_history", ".irb_history", ".lesshst", ".viminfo",
	}
}

// systemSecrets are those that root can read.
func systemSecrets() []string {
	return []string{
		"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/ssl/private", "/etc/krb5.keytab",
		"/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ecdsa_key", "/etc/ssh/ssh_host_ed25519_key", "/etc/ssh/ssh_host_dsa_key",
		"/etc/NetworkManager/system-connections", "/etc/wireguard", "/var/spool/cron", "/var/lib/docker", "/var/lib/containerd",
	}
}

// visible are places within hidden ones without which programs do not work: names of hosts, and the programs of NixOS.
func visible() []string {
	return []string{
		"/run/systemd/resolve/resolv.conf", "/run/systemd/resolve/stub-resolv.conf", "/run/NetworkManager/resolv.conf",
		"/run/resolvconf/resolv.conf", "/run/connman/resolv.conf", "/run/current-system", "/run/booted-system", "/run/opengl-driver",
	}
}

// startFiles are run or read by the next shell, or git, of the person; commands must not change them where the home
// directory is writable.
func startFiles(home string) []string {
	if home == "" {
		return nil
	}
	var list []string
	for _, name := range []string{
		".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin",
		".inputrc", ".config/fish", ".gitconfig", ".config/git", ".config/autostart", ".config/systemd", ".local/bin", "bin",
		".pam_environment", ".xprofile", ".xsessionrc", ".vimrc", ".config/nvim", ".tmux.conf",
	} {
		list = append(list, filepath.Join(home, name))
	}
	return list
}

// hiddenVars are variables that lead to services outside.
func hiddenVars() []string {
	return []string{
		"SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "GNOME_KEYRING_CONTROL", "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS",
		"XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "TMUX", "STY", "DOCKER_HOST", "CONTAINER_HOST", "KUBECONFIG",
		"VSCODE_IPC_HOOK_CLI", "VSCODE_GIT_IPC_HANDLE", "VSCODE_GIT_ASKPASS_MAIN", "GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS",
		"NOTIFY_SOCKET",
	}
}
