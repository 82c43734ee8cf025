#!/bin/sh
# Prints the sample weather of a city as one line of JSON: {"city","temp","condition","humidity","wind"}, in the language in
# which the city was named. For an unknown city: {"error","known"}. weather.js prints the same.
LC_ALL=C
export LC_ALL

samples() {
	cat <<'END'
北京|Beijing|晴|sunny|21|35|北风3级|north wind, force 3
上海|Shanghai|多云|cloudy|24|66|东风3级|east wind, force 3
广州|Guangzhou|雷阵雨|thunderstorms|29|82|南风3级|south wind, force 3
深圳|Shenzhen|阵雨|showers|28|78|南风4级|south wind, force 4
杭州|Hangzhou|小雨|light rain|22|80|东风2级|east wind, force 2
成都|Chengdu|阴|overcast|19|72|北风2级|north wind, force 2
重庆|Chongqing|雾|fog|20|88|北风1级|north wind, force 1
武汉|Wuhan|多云|cloudy|23|64|东风2级|east wind, force 2
西安|Xi'an|晴|sunny|20|41|西风2级|west wind, force 2
南京|Nanjing|小雨|light rain|21|77|东风3级|east wind, force 3
天津|Tianjin|晴|sunny|20|44|北风4级|north wind, force 4
哈尔滨|Harbin|小雪|light snow|-6|70|西风4级|west wind, force 4
香港|Hong Kong|阵雨|showers|28|81|南风4级|south wind, force 4
台北|Taipei|小雨|light rain|25|84|东风4级|east wind, force 4
东京|Tokyo|多云|cloudy|18|58|北风3级|north wind, force 3
首尔|Seoul|晴|sunny|15|48|西风3级|west wind, force 3
新加坡|Singapore|雷阵雨|thunderstorms|31|79|南风2级|south wind, force 2
伦敦|London|小雨|light rain|12|83|西风5级|west wind, force 5
巴黎|Paris|阴|overcast|14|71|西风3级|west wind, force 3
柏林|Berlin|多云|cloudy|11|69|西风4级|west wind, force 4
莫斯科|Moscow|小雪|light snow|-3|76|北风3级|north wind, force 3
纽约|New York|晴|sunny|16|52|西风4级|west wind, force 4
旧金山|San Francisco|雾|fog|15|86|西风3级|west wind, force 3
悉尼|Sydney|晴|sunny|23|55|东风4级|east wind, force 4
END
}

ASKED=$*
export ASKED
samples | awk -F'|' '
	# plain is a name as names are compared: without blanks and marks, without 市 at its end, in lower case.
	function plain(name) {
		gsub(/[ \047.,_-]/, "", name)
		if (length(name) > 8) sub(/市$/, "", name)
		return tolower(name)
	}
	# quoted is a text as a JSON string.
	function quoted(text,    out, c, i) {
		for (i = 1; i <= length(text); i++) {
			c = substr(text, i, 1)
			out = out (c == "\\" || c == "\"" ? "\\" : "") c
		}
		return "\"" out "\""
	}
	BEGIN {
		asked = ENVIRON["ASKED"]
		gsub(/[\001-\037\177]/, " ", asked)
		sub(/^ +/, "", asked)
		sub(/ +$/, "", asked)
		chinese = asked == "" || asked ~ /[\344-\351]/
		want = plain(asked)
	}
	{
		city = chinese ? $1 : $2
		known = known (known == "" ? "" : ",") quoted(city)
		if (want != "" && answer == "" && (plain($1) == want || plain($2) == want))
			answer = "{\"city\":" quoted(city) ",\"temp\":\"" $5 "°C\",\"condition\":" quoted(chinese ? $3 : $4) \
				",\"humidity\":\"" $6 "%\",\"wind\":" quoted(chinese ? $7 : $8) "}"
	}
	END {
		if (asked == "") none = "没有给出城市 / no city was given"
		else if (chinese) none = "没有“" asked "”的示例数据"
		else none = "there is no sample for “" asked "”"
		print answer != "" ? answer : "{\"error\":" quoted(none) ",\"known\":[" known "]}"
	}'
