export declare const claude: string
