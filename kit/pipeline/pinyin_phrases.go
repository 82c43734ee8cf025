package pipeline

// pinyinPhrases are words that are read otherwise than their characters one by one, and characters whose usual reading in
// a title is not the first of the table. One a line: the characters, then a syllable for each.
const pinyinPhrases = `
长 chang
長 chang
似 si
佛 fo
薄 bo
柏 bo
泊 bo
勒 le
曝 bao
嚼 jiao
轴 zhou
重庆 chong qing
重慶 chong qing
重复 chong fu
重新 chong xin
重构 chong gou
重建 chong jian
重启 chong qi
重组 chong zu
重写 chong xie
重试 chong shi
重做 chong zuo
重排 chong pai
重叠 chong die
重播 chong bo
重放 chong fang
重现 chong xian
重逢 chong feng
重来 chong lai
重阳 chong yang
双重 shuang chong
多重 duo chong
音乐 yin yue
音樂 yin yue
乐器 yue qi
乐队 yue dui
乐团 yue tuan
乐谱 yue pu
乐章 yue zhang
乐曲 yue qu
乐理 yue li
声乐 sheng yue
民乐 min yue
配乐 pei yue
奏乐 zou yue
器乐 qi yue
银行 yin hang
銀行 yin hang
行业 hang ye
行業 hang ye
行列 hang lie
行情 hang qing
行家 hang jia
同行 tong hang
央行 yang hang
投行 tou hang
分行 fen hang
支行 zhi hang
商行 shang hang
本行 ben hang
排行 pai hang
换行 huan hang
跨行 kua hang
首行 shou hang
逐行 zhu hang
成长 cheng zhang
成長 cheng zhang
增长 zeng zhang
增長 zeng zhang
生长 sheng zhang
生長 sheng zhang
长大 zhang da
长辈 zhang bei
长老 zhang lao
长子 zhang zi
长官 zhang guan
校长 xiao zhang
院长 yuan zhang
市长 shi zhang
队长 dui zhang
班长 ban zhang
船长 chuan zhang
首长 shou zhang
董事长 dong shi zhang
助长 zhu zhang
消长 xiao zhang
弹性 tan xing
弹簧 tan huang
弹奏 tan zou
弹琴 tan qin
弹窗 tan chuang
反弹 fan tan
还原 huan yuan
归还 gui huan
偿还 chang huan
还款 huan kuan
还债 huan zhai
会计 kuai ji
都市 du shi
首都 shou du
成都 cheng du
京都 jing du
都会 du hui
了解 liao jie
了不起 liao bu qi
着陆 zhuo lu
着手 zhuo shou
着重 zhuo zhong
着色 zhuo se
着装 zhuo zhuang
执着 zhi zhuo
目的 mu di
的确 di que
标的 biao di
角色 jue se
角逐 jue zhu
主角 zhu jue
配角 pei jue
睡觉 shui jiao
午觉 wu jiao
率领 shuai ling
率先 shuai xian
坦率 tan shuai
草率 cao shuai
朝夕 zhao xi
朝气 zhao qi
西藏 xi zang
宝藏 bao zang
唐三藏 tang san zang
参差 cen ci
人参 ren shen
海参 hai shen
出差 chu chai
差遣 chai qian
称职 chen zhi
对称 dui chen
匀称 yun chen
投降 tou xiang
落枕 lao zhen
丢三落四 diu san la si
模样 mu yang
模具 mu ju
模板 mu ban
仿佛 fang fu
供给 gong ji
给予 ji yu
自给 zi ji
补给 bu ji
给养 ji yang
系鞋带 ji xie dai
星宿 xing xiu
一宿 yi xiu
传记 zhuan ji
自传 zi zhuan
水浒传 shui hu zhuan
白蛇传 bai she zhuan
便宜 pian yi
屏息 bing xi
秘鲁 bi lu
单于 chan yu
大夫 dai fu
提防 di fang
否极泰来 pi ji tai lai
什锦 shi jin
什一 shi yi
可恶 ke wu
厌恶 yan wu
憎恶 zeng wu
校对 jiao dui
校准 jiao zhun
校验 jiao yan
校正 jiao zheng
折本 she ben
反省 fan xing
内省 nei xing
自省 zi xing
盛饭 cheng fan
卡壳 qia ke
关卡 guan qia
发卡 fa qia
地壳 di qiao
甲壳 jia qiao
露脸 lou lian
露馅 lou xian
切削 qie xiao
削皮 xiao pi
厦门 xia men
六安 lu an
蚌埠 beng bu
番禺 pan yu
涡阳 guo yang
尉迟 yu chi
单田芳 shan tian fang
解数 xie shu
曾国藩 zeng guo fan
曾子 zeng zi
翟天临 zhai tian lin
薄饼 bao bing
柏树 bai shu
松柏 song bai
湖泊 hu po
梁山泊 liang shan po
血泊 xue po
勒紧 lei jin
曝气 pu qi
一曝十寒 yi pu shi han
咀嚼 ju jue
仔细 zi xi
仔猪 zi zhu
奇数 ji shu
奇偶 ji ou
埋怨 man yuan
绿林 lu lin
鸭绿江 ya lu jiang
阿胶 e jiao
阿谀 e yu
刨冰 bao bing
纤夫 qian fu
拓片 ta pian
吐蕃 tu bo
龟兹 qiu ci
龟裂 jun lie
万俟 mo qi
冒顿 mo du
月氏 yue zhi
大月氏 da yue zhi
身毒 yuan du
`
