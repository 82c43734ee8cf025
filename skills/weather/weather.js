// Prints the sample weather of a city as one line of JSON: {"city","temp","condition","humidity","wind"}, in the language in
// which the city was named. For an unknown city: {"error","known"}. weather.sh prints the same.
"use strict";

const SAMPLES = `
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
`;

const HAN = /[\u4000-\u9fff]/;
const plain = (name) => name.replace(/[ '.,_-]/g, "").replace(/(?<=..)市$/, "").toLowerCase();

const asked = process.argv.slice(2).join(" ").replace(/[\x00-\x1f\x7f]/g, " ").replace(/^ +| +$/g, "");
const chinese = asked === "" || HAN.test(asked);
const cities = SAMPLES.trim().split("\n").map((line) => {
  const [zh, en, skyZh, skyEn, temp, humidity, windZh, windEn] = line.split("|");
  return { names: [zh, en], sky: [skyZh, skyEn], temp, humidity, wind: [windZh, windEn] };
});
const pick = (pair) => pair[chinese ? 0 : 1];
const found = cities.find((c) => c.names.some((name) => plain(name) === plain(asked)));

let answer;
if (found) {
  answer = {
    city: pick(found.names),
    temp: found.temp + "°C",
    condition: pick(found.sky),
    humidity: found.humidity + "%",
    wind: pick(found.wind),
  };
} else {
  const none = asked === "" ? "没有给出城市 / no city was given" : chinese ? `没有“${asked}”的示例数据` : `there is no sample for “${asked}”`;
  answer = { error: none, known: cities.map((c) => pick(c.names)) };
}
console.log(JSON.stringify(answer));
